// From probabilities between a model's tokens to those between pieces of text. A source piece has the sum over
// its tokens, a target piece the mean over its own; a token in several pieces counts for each by its share.
// What is pointed at and what the matrix shows are these same numbers.

export const FAINTEST = 0.05; // smaller probabilities are not shown

export function pieceMatrix(subwords, sourcePieces, targetPieces) {
  const columns = sharesOf(subwords.source, sourcePieces);
  const rows = sharesOf(subwords.target, targetPieces);
  return rows.map((own) => {
    const weight = own.reduce((sum, [, share]) => sum + share, 0);
    return columns.map((tokens) => {
      let mass = 0;
      for (const [row, share] of own)
        for (const [column, part] of tokens) mass += share * part * subwords.matrix[row][column];
      return weight ? mass / weight : 0;
    });
  });
}

// For each piece its tokens, [index, share of the token that lies in the piece].
function sharesOf(tokens, pieces) {
  return pieces.map((piece) =>
    tokens.flatMap(([start, end], index) => {
      const common = Math.min(end, piece.end) - Math.max(start, piece.start);
      return common > 0 ? [[index, common / (end - start)]] : [];
    }),
  );
}

// The pieces of the other side, [index, probability], most probable first.
export function counterparts(matrix, side, index) {
  const row = side === "target" ? matrix[index] : matrix.map((one) => one[index]);
  return row
    .map((probability, other) => [other, probability])
    .filter(([, probability]) => probability >= FAINTEST)
    .sort((one, two) => two[1] - one[1]);
}
