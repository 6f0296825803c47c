// A step of token replacement on a CPU: a sentence at a time, by one thread.
#include "replacement.h"

#include <vector>

extern "C" {

int64_t size_of_replacement_step() { return sizeof(ReplacementStep); }

void prepare_replacement(const ReplacementStep *step) {
  for (int64_t b = 0; b < step->batch; ++b) prepare_forms(*step, b, Alone());
}

void select_by_replacement(const ReplacementStep *step) {
  static thread_local std::vector<char> memory;
  Room asked(nullptr);
  Replacing<Alone>(*step, 0, Alone(), asked);
  if (static_cast<int64_t>(memory.size()) < asked.used()) memory.resize(asked.used());
  for (int64_t b = 0; b < step->batch; ++b) {
    Room room(memory.data());
    Replacing<Alone>(*step, b, Alone(), room).run();
  }
}

void commit_replacement(const ReplacementStep *step) {
  for (int64_t b = 0; b < step->batch; ++b) commit_forms(*step, b, Alone());
}
}
