// A step of token replacement, sentence by sentence: what `policies/token_replacement.py` does in tensors of a
// whole batch, to the bit. Shapes and names are those of that file.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <cstdint>

namespace {

constexpr float NEVER = -std::numeric_limits<float>::infinity();

struct ReplacementStep {
  int64_t batch, beam, rows, num_top, num_forms, longest, source, eos_id;
  const int64_t *tokens, *lengths, *constraint;  // (batch, num_forms, longest), (batch, num_forms) twice
  const bool *of_form, *asks;                    // (batch, source, num_forms), (batch,)
  int64_t *form, *position, *used;               // (batch, beam)
  float *bias;
  int64_t *next_tokens;  // (batch, rows, num_forms + 1): the first of every form, and what must come now

  const int64_t *best_tokens;  // (batch, rows, 2)
  const float *best_scores;
  const float *top_scores;  // (batch, top_stride)
  const int64_t *top_rows, *top_tokens;
  int64_t top_stride;
  const float *serving;  // (batch, rows, num_forms + 1), log-probabilities of `next_tokens`
  const float *hypotheses;
  int64_t hypothesis_stride;
  const float *alignments;  // (batch, rows * 2, source)

  float *going_scores, *going_bias;  // (batch, beam)
  int64_t *going_rows, *going_tokens;
  float *ended_scores, *ended_bias;
  int64_t *ended_rows, *ended_tokens;
  bool *ends;
  int64_t *new_form, *new_position, *new_used;
};

struct Candidate {
  float score, bias, rank;
  int64_t row, token, form, position, used;
};

class Sentence {
 public:
  Sentence(const ReplacementStep &step, int64_t b) : step(step), b(b), first_slot(b * step.beam) {}

  void run() {
    candidates.assign(2 * step.beam, {NEVER, 0.0f, NEVER, 0, 0, -1, 0, 0});
    if (step.asks[b]) propose_two();
    else propose_top();
    score();
    choose();
  }

 private:
  float hypothesis(int64_t row) const { return step.hypotheses[b * step.hypothesis_stride + row]; }

  void propose_two() {
    for (int64_t c = 0; c < 2 * step.rows; c++) {
      const int64_t at = (b * step.rows) * 2 + c;
      propose(candidates[c], step.best_scores[at], c / 2, step.best_tokens[at], aligned(c));
    }
    for (int64_t c = 2 * step.rows; c < 2 * step.beam; c++) propose(candidates[c], NEVER, 0, 0, 0);
  }

  void propose_top() {
    for (int64_t c = 0; c < 2 * step.beam; c++) {
      const int64_t at = b * step.top_stride + c;
      if (c < step.num_top) propose(candidates[c], step.top_scores[at], step.top_rows[at], step.top_tokens[at], -1);
      else propose(candidates[c], NEVER, 0, 0, -1);
    }
  }

  int64_t aligned(int64_t c) const {
    const float *found = step.alignments + (b * step.rows * 2 + c) * step.source;
    return std::max_element(found, found + step.source) - found;
  }

  // The token as it is generated; for now `score` is that of the token that was proposed.
  void propose(Candidate &one, float score, int64_t row, int64_t token, int64_t source) {
    const int64_t slot = first_slot + row;
    const bool within = step.form[slot] >= 0;
    const int64_t form = within ? step.form[slot] : source < 0 ? -1 : begin(row, source, step.used[slot]);
    one = {score, score, NEVER, row, token, -1, 0, step.used[slot]};
    if (form < 0) return;
    const int64_t position = within ? step.position[slot] : 0, at = b * step.num_forms + form;
    one.token = std::max<int64_t>(step.tokens[at * step.longest + position], 0);
    one.score = log_probability(row, within ? step.num_forms : form) + hypothesis(row);
    one.used |= step.constraint[at];
    if (position + 1 < step.lengths[at]) {
      one.form = form;
      one.position = position + 1;
    }
  }

  float log_probability(int64_t row, int64_t form) const {
    return step.serving[(b * step.rows + row) * (step.num_forms + 1) + form];
  }

  // The form that begins where a source token is translated: of several, the most probable.
  int64_t begin(int64_t row, int64_t source, int64_t used) const {
    const bool *of_form = step.of_form + (b * step.source + source) * step.num_forms;
    int64_t found = -1;
    float best = NEVER;
    for (int64_t form = 0; form < step.num_forms; form++) {
      if (!of_form[form] || (used & step.constraint[b * step.num_forms + form])) continue;
      const float likely = log_probability(row, form) + hypothesis(row);
      if (likely > best) best = likely, found = form;
    }
    return found;
  }

  // Ranks are those of the proposed tokens; of candidates that have become the same, the first stays.
  void score() {
    there.assign(candidates.size(), false);
    for (size_t c = 0; c < candidates.size(); c++)
      there[c] = std::isfinite(candidates[c].score) && std::isfinite(candidates[c].bias);
    for (size_t c = 0; c < candidates.size(); c++) {
      Candidate &one = candidates[c];
      bool stays = there[c];
      for (size_t other = 0; other < c && stays; other++)
        stays = !(there[other] && candidates[other].row == one.row && candidates[other].token == one.token);
      const float change = stays ? one.bias - one.score : 0.0f;
      if (!stays) one.score = NEVER;
      one.bias = step.bias[first_slot + one.row] + change;
      one.rank = one.score + one.bias;
    }
  }

  void choose() {
    order.resize(candidates.size());
    for (size_t c = 0; c < order.size(); c++) order[c] = c;
    std::stable_sort(order.begin(), order.end(), [&](int64_t one, int64_t other) {
      return candidates[one].rank > candidates[other].rank;
    });
    for (int64_t k = 0; k < step.beam; k++) {
      const Candidate &one = candidates[order[k]];
      const int64_t slot = first_slot + k;
      step.ended_scores[slot] = one.score;
      step.ended_bias[slot] = one.bias;
      step.ended_rows[slot] = one.row;
      step.ended_tokens[slot] = one.token;
      step.ends[slot] = one.token == step.eos_id && one.rank > NEVER;
    }
    int64_t k = 0;
    for (int64_t c : order)
      if (k < step.beam && goes_on(candidates[c])) go_on(candidates[c], first_slot + k++, true);
    for (const Candidate &one : candidates)
      if (k < step.beam && !goes_on(one)) go_on(one, first_slot + k++, false);
  }

  bool goes_on(const Candidate &one) const { return one.token != step.eos_id && one.rank > NEVER; }

  void go_on(const Candidate &one, int64_t slot, bool alive) {
    step.going_scores[slot] = alive ? one.score : NEVER;
    step.going_bias[slot] = one.bias;
    step.going_rows[slot] = one.row;
    step.going_tokens[slot] = one.token;
    step.new_form[slot] = one.form;
    step.new_position[slot] = one.position;
    step.new_used[slot] = one.used;
  }

  const ReplacementStep &step;
  const int64_t b, first_slot;
  static thread_local std::vector<Candidate> candidates;
  static thread_local std::vector<char> there;
  static thread_local std::vector<int64_t> order;
};

thread_local std::vector<Candidate> Sentence::candidates;
thread_local std::vector<char> Sentence::there;
thread_local std::vector<int64_t> Sentence::order;

}  // namespace

extern "C" {

int64_t size_of_replacement_step() { return sizeof(ReplacementStep); }

// The tokens whose log-probabilities are needed.
void prepare_replacement(const ReplacementStep *step) {
  for (int64_t b = 0; b < step->batch; b++)
    for (int64_t row = 0; row < step->rows; row++) {
      const int64_t slot = b * step->beam + row, first = b * step->num_forms;
      int64_t *next = step->next_tokens + (b * step->rows + row) * (step->num_forms + 1);
      for (int64_t form = 0; form < step->num_forms; form++)
        next[form] = std::max<int64_t>(step->tokens[(first + form) * step->longest], 0);
      const int64_t form = std::max<int64_t>(step->form[slot], 0);
      const int64_t token = step->tokens[(first + form) * step->longest + step->position[slot]];
      next[step->num_forms] = std::max<int64_t>(token, 0);
    }
}

void select_by_replacement(const ReplacementStep *step) {
  for (int64_t b = 0; b < step->batch; b++) Sentence(*step, b).run();
}

void commit_replacement(const ReplacementStep *step) {
  const int64_t count = step->batch * step->beam;
  std::copy_n(step->new_form, count, step->form);
  std::copy_n(step->new_position, count, step->position);
  std::copy_n(step->new_used, count, step->used);
  std::copy_n(step->going_bias, count, step->bias);
}
}
