// deno-lint-ignore-file no-console -- This command prints its results.

/** Prints rows of cells as a Markdown table. The first row is the head. Columns after the first are right-aligned. */
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

/** The median of some values: the middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}
