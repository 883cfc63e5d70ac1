// The tables are what a benchmark is for.
// deno-lint-ignore-file no-console

/** Prints rows of cells as a Markdown table, the first row as its head; columns after the first are right-aligned. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0), 3));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const pad = (row: readonly string[]): string[] =>
    widths.map((width, column) =>
      column === 0 ? (row[column] ?? "").padEnd(width) : (row[column] ?? "").padStart(width)
    );
  const [head = [], ...body] = rows;
  const rule = widths.map((width, column) => column === 0 ? "-".repeat(width) : "-".repeat(width - 1) + ":");
  console.log([line(pad(head)), line(rule), ...body.map((row) => line(pad(row)))].join("\n"));
}

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}
