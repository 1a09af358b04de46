#include "journal_replay.h"
