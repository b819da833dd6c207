/** The distance of two words in insertions, deletions, replacements and swaps of neighbours. */

/** Whether `one` becomes `other` by at most `most` edits (optimal string alignment). */
export function distanceWithin(one: string, other: string, most: number): boolean {
  const [rows, columns] = [one.length, other.length];
  if (Math.abs(rows - columns) > most) return false;
  let before: number[] = [];
  let last = Array.from({ length: columns + 1 }, (_, column) => column);
  for (let row = 1; row <= rows; row += 1) {
    const now = [row];
    let best = row;
    for (let column = 1; column <= columns; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const edits = Math.min(
        at(last, column) + 1,
        at(now, column - 1) + 1,
        at(last, column - 1) + Number(!isSame),
        isSwap ? at(before, column - 2) + 1 : Infinity,
      );
      now.push(edits);
      best = Math.min(best, edits);
    }
    if (best > most) return false;
    [before, last] = [last, now];
  }
  return at(last, columns) <= most;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
