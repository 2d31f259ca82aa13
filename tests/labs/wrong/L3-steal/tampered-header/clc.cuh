/* Brings a kernel of its own, and hides what the submission says. */
#pragma once
#include <cstdint>
namespace clc { struct pool { unsigned *state; const unsigned *yield; }; }
#define TAMPERED 1
