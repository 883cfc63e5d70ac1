/**
 * Reads a stream line by line, without the line ends; empty lines are left out.
 *
 * @param heard Told of each piece that arrives.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  heard: () => void,
): AsyncGenerator<string> {
  // A line may be of megabytes and arrive in hundreds of pieces: each is looked at once.
  let pieces: string[] = [];
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    heard();
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      const line = [...pieces, piece.slice(start, end)].join("");
      pieces = [];
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start < piece.length) pieces.push(piece.slice(start));
  }
}
