#include "include/journal_serve.h"

#ifdef JOURNAL_SERVE

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* A longer body ends the connection: an operator's act is short. */
enum { most_body = 1 << 16, most_headers = 16 };

struct journal_serve {
    struct MHD_Daemon *daemon;
    void *context;
    journal_serve_handler handler;
};

struct journal_request {
    struct MHD_Connection *connection;
    const char *method;
    const char *path;
    uint8_t *body;
    size_t count;
    const char *names[most_headers];
    const char *values[most_headers];
    unsigned headers;
    enum MHD_Result result;
};

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *upload, size_t *size, void **state) {
    (void)version;
    struct journal_serve *server = context;
    struct journal_request *request = *state;
    if (!request) {
        request = calloc(1, sizeof *request);
        *state = request;
        return request ? MHD_YES : MHD_NO;
    }
    if (*size > 0) {
        if (request->count + *size > most_body) return MHD_NO;
        uint8_t *body = realloc(request->body, request->count + *size);
        if (!body) return MHD_NO;
        memcpy(body + request->count, upload, *size);
        request->body = body;
        request->count += *size;
        *size = 0;
        return MHD_YES;
    }
    request->connection = connection;
    request->method = method;
    request->path = path;
    /* Closes the connection if the handler does not answer. */
    request->result = MHD_NO;
    server->handler(server->context, request);
    return request->result;
}

static void completed(
    void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
    (void)context, (void)connection, (void)code;
    struct journal_request *request = *state;
    if (!request) return;
    free(request->body);
    free(request);
    *state = NULL;
}

struct journal_serve *journal_serve_start(
    uint16_t *port, unsigned limit, unsigned timeout, void *context, journal_serve_handler handler) {
    struct journal_serve *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->context = context;
    server->handler = handler;
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons(*port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    errno = 0;
    /* A thread for each connection: a reader that hangs, or a state that takes long, holds up only its own. */
    server->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, *port, NULL, NULL, answer,
        server,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, limit,
        MHD_OPTION_CONNECTION_TIMEOUT, timeout, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_THREAD_STACK_SIZE,
        (size_t)1 << 20, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
    if (!server->daemon) {
        int code = errno;
        free(server);
        errno = code ? code : EADDRINUSE;
        return NULL;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    if (info) *port = info->port;
    return server;
}

void journal_serve_stop(struct journal_serve *server) {
    MHD_stop_daemon(server->daemon);
    free(server);
}

const char *journal_request_method(const struct journal_request *request) { return request->method; }

const char *journal_request_path(const struct journal_request *request) { return request->path; }

const uint8_t *journal_request_body(const struct journal_request *request, size_t *count) {
    *count = request->count;
    return request->body;
}

struct visit {
    void *context;
    journal_serve_visit visit;
};

static enum MHD_Result visit(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void)kind;
    struct visit *visit = context;
    visit->visit(visit->context, name, value ? value : "");
    return MHD_YES;
}

void journal_request_headers(const struct journal_request *request, void *context, journal_serve_visit each) {
    struct visit all = {context, each};
    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, visit, &all);
}

void journal_request_query(const struct journal_request *request, void *context, journal_serve_visit each) {
    struct visit all = {context, each};
    MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, visit, &all);
}

void journal_request_add(struct journal_request *request, const char *name, const char *value) {
    if (request->headers == most_headers) return;
    request->names[request->headers] = strdup(name);
    request->values[request->headers++] = strdup(value);
}

static void respond(struct journal_request *request, unsigned status, struct MHD_Response *response) {
    for (unsigned i = 0; i < request->headers; i++) {
        if (response && request->names[i] && request->values[i]) {
            MHD_add_response_header(response, request->names[i], request->values[i]);
        }
        free((void *)request->names[i]);
        free((void *)request->values[i]);
    }
    request->headers = 0;
    if (!response) return;
    request->result = MHD_queue_response(request->connection, status, response);
    MHD_destroy_response(response);
}

void journal_request_answer(struct journal_request *request, unsigned status, const uint8_t *bytes, size_t count) {
    respond(request, status, MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY));
}

struct stream {
    void *stream;
    journal_serve_more more;
    journal_serve_end end;
};

static ssize_t more(void *context, uint64_t position, char *buffer, size_t room) {
    (void)position;
    struct stream *stream = context;
    int64_t count = stream->more(stream->stream, (uint8_t *)buffer, room);
    return count < 0 ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)count;
}

static void end(void *context) {
    struct stream *stream = context;
    stream->end(stream->stream);
    free(stream);
}

void journal_request_stream(
    struct journal_request *request, unsigned status, void *context, journal_serve_more next, journal_serve_end done) {
    struct stream *stream = malloc(sizeof *stream);
    if (!stream) {
        done(context);
        respond(request, status, NULL);
        return;
    }
    *stream = (struct stream){context, next, done};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1 << 15, more, stream, end);
    if (!response) end(stream);
    respond(request, status, response);
}

#endif
