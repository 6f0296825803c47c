// The kernels of a step with constraints on a GPU: a block for every sentence, or every hypothesis. Steps are
// passed by value, so that a recorded graph holds them. Sentences work in the memory that a block shares, or,
// where it is too small, in a piece of `memory`.
#include "bank_commit.h"
#include "bank_sentence.h"
#include "bank_slots.h"
#include "listing.h"
#include "pair_alignment.h"
#include "replacement.h"

namespace {

SHARED_CODE Room room_of_block(char *shared, char *memory, int64_t bytes) {
  return Room(memory ? memory + blockIdx.x * bytes : shared);
}

struct SlotsOfBlock {
  Room &room;

  SHARED_CODE const int32_t *operator()(const BankStep &step, int64_t b, const Candidate *candidates, int64_t count) {
    Slots<Block> slots(step, b, candidates, count, Block(), room);
    slots.run();
    return slots.own.chosen;
  }
};

}  // namespace

// Shows that kernels are launched, and are given what they are to be given.
struct TrialStep {
  int64_t number;
  int64_t *numbers;  // one for every block
};

#define KERNEL extern "C" __global__ void __launch_bounds__(256)

KERNEL try_kernels(const __grid_constant__ TrialStep step, char *, int64_t bytes) {
  if (threadIdx.x == 0) step.numbers[blockIdx.x] = step.number + blockIdx.x + bytes;
}

KERNEL prepare_banks(const __grid_constant__ BankStep step, char *, int64_t) {
  prepare_sentence(step, blockIdx.x, Block());
}

KERNEL select_by_banks(const __grid_constant__ BankStep step, char *memory, int64_t bytes) {
  alignas(16) extern __shared__ char shared[];
  Room room = room_of_block(shared, memory, bytes);
  Selecting<Block>(step, blockIdx.x, Block(), room).run(SlotsOfBlock{room});
}

KERNEL commit_banks(const __grid_constant__ BankStep step, char *memory, int64_t bytes) {
  alignas(16) extern __shared__ char shared[];
  Room room = room_of_block(shared, memory, bytes);
  Committing<Block>(step, blockIdx.x, Block(), room).run();
}

KERNEL scan_rows(const __grid_constant__ ListingStep step, char *memory, int64_t bytes) {
  alignas(16) extern __shared__ char shared[];
  Room room = room_of_block(shared, memory, bytes);
  RowScan<Block>(step, blockIdx.x, Block(), room).run();
}

KERNEL merge_scans(const __grid_constant__ ListingStep step, char *memory, int64_t bytes) {
  alignas(16) extern __shared__ char shared[];
  Room room = room_of_block(shared, memory, bytes);
  Merging<Block>(step, blockIdx.x, Block(), room).list();
}

KERNEL select_plainly(const __grid_constant__ ListingStep step, char *memory, int64_t bytes) {
  alignas(16) extern __shared__ char shared[];
  Room room = room_of_block(shared, memory, bytes);
  Merging<Block>(step, blockIdx.x, Block(), room).select();
}

KERNEL prepare_replacement(const __grid_constant__ ReplacementStep step, char *, int64_t) {
  prepare_forms(step, blockIdx.x, Block());
}

KERNEL select_by_replacement(const __grid_constant__ ReplacementStep step, char *memory, int64_t bytes) {
  alignas(16) extern __shared__ char shared[];
  Room room = room_of_block(shared, memory, bytes);
  Replacing<Block>(step, blockIdx.x, Block(), room).run();
}

KERNEL commit_replacement(const __grid_constant__ ReplacementStep step, char *, int64_t) {
  commit_forms(step, blockIdx.x, Block());
}

KERNEL ask_pairs(const __grid_constant__ PairStep step, char *, int64_t) {
  if (step.is_half) ask_pair<Half>(step, blockIdx.x, Block());
  else ask_pair<float>(step, blockIdx.x, Block());
}

KERNEL attend_to_source(const __grid_constant__ PairStep step, char *memory, int64_t bytes) {
  alignas(16) extern __shared__ char shared[];
  Room room = room_of_block(shared, memory, bytes);
  if (step.is_half) attend_pairs<Half>(step, blockIdx.x, Block(), room);
  else attend_pairs<float>(step, blockIdx.x, Block(), room);
}
