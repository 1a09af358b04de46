/* The part of libmicrohttpd that `journal-replay serve` uses. Its functions take variadic options and macros, which
 * Swift cannot call. All rules are in Swift: these functions only pass requests on.
 * https://www.gnu.org/software/libmicrohttpd/manual/libmicrohttpd.html
 *
 * They exist only with JOURNAL_SERVE, which the trait `Serve` defines; a build without it needs no library.
 */
#ifndef JOURNAL_SERVE_H
#define JOURNAL_SERVE_H

#include <stddef.h>
#include <stdint.h>

/* A server. */
struct journal_serve;
/* A request whose body has arrived. Valid during the call of the handler. */
struct journal_request;

/* Answers a request, on a thread of its own: it may block. It must call one of the functions that answer. */
typedef void (*journal_serve_handler)(void *context, struct journal_request *request);
/* Returns the next bytes of a stream, how many there are, or -1 at its end. It may block. */
typedef int64_t (*journal_serve_more)(void *stream, uint8_t *buffer, size_t room);
/* Called once when a stream is not needed any more. */
typedef void (*journal_serve_end)(void *stream);
/* Receives a header or a part of the query. */
typedef void (*journal_serve_visit)(void *context, const char *name, const char *value);

/* Listens on 127.0.0.1; `port` is replaced by the port that was found if it is 0. Returns NULL with errno set. */
struct journal_serve *journal_serve_start(
    uint16_t *port, unsigned limit, unsigned timeout, void *context, journal_serve_handler handler);
/* Ends all connections and their threads. */
void journal_serve_stop(struct journal_serve *server);

const char *journal_request_method(const struct journal_request *request);
const char *journal_request_path(const struct journal_request *request);
const uint8_t *journal_request_body(const struct journal_request *request, size_t *count);
void journal_request_headers(const struct journal_request *request, void *context, journal_serve_visit visit);
void journal_request_query(const struct journal_request *request, void *context, journal_serve_visit visit);

/* Adds a header to the answer that follows. */
void journal_request_add(struct journal_request *request, const char *name, const char *value);
void journal_request_answer(struct journal_request *request, unsigned status, const uint8_t *bytes, size_t count);
void journal_request_stream(
    struct journal_request *request, unsigned status, void *stream, journal_serve_more more, journal_serve_end end);

#endif
