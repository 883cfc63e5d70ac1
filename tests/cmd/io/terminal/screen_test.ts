import assert from "node:assert/strict";
import { Screen } from "../../../../cmd/io/terminal/screen.ts";
import type { Output, Terminal } from "../../../../cmd/io/terminal/terminal.ts";

/** A fake terminal that records the output. */
function recordTerminal(): { text: () => string; output: Output; terminal: Terminal; resize: (rows: number) => void } {
  let written = "";
  let rows = 2;
  let onResize: (() => void) | undefined;
  return {
    text: () => {
      const text = written;
      written = "";
      return text;
    },
    output: {
      color: false,
      waiting: 0,
      isClosed: false,
      write: (text) => {
        written += text;
      },
      flush: () => Promise.resolve(),
    },
    terminal: {
      size: () => ({ columns: 80, rows }),
      onResize: (listener) => {
        onResize = listener;
        return () => {
          onResize = undefined;
        };
      },
    },
    resize: (now) => {
      rows = now;
      onResize?.();
    },
  };
}

Deno.test("Screen draws on the alternate screen, follows the size, and restores the terminal", () => {
  const { text, output, terminal, resize } = recordTerminal();
  const screen = new Screen(output, terminal, ({ rows }) => ["a", "b", "c"].slice(0, rows));
  assert.equal(text(), "\u001b[?1049h\u001b[?25l\u001b[Ha\u001b[K\r\nb\u001b[K\u001b[J");
  resize(1);
  assert.equal(text(), "\u001b[Ha\u001b[K\u001b[J");
  screen.changed();
  screen[Symbol.dispose]();
  assert.equal(text(), "\u001b[?25h\u001b[?1049l");
  resize(2);
  screen.changed();
  screen[Symbol.dispose]();
  assert.equal(text(), "");
});

Deno.test("Screen draws many changes at once", async () => {
  const { text, output, terminal } = recordTerminal();
  const { promise: drawn, resolve } = Promise.withResolvers<void>();
  let drawings = 0;
  using screen = new Screen(output, terminal, () => {
    if (++drawings === 2) resolve();
    return [String(drawings)];
  });
  for (let change = 0; change < 1_000; change++) screen.changed();
  text();
  await drawn;
  assert.equal(text(), "\u001b[H2\u001b[K\u001b[J");
});

Deno.test("Screen draws nothing for a terminal that doesn't read, or is gone", () => {
  const { text, output, terminal, resize } = recordTerminal();
  using _screen = new Screen({ ...output, waiting: 1_000_000 }, terminal, () => ["a"]);
  assert.equal(text(), "\u001b[?1049h\u001b[?25l");
  const gone = { ...terminal, size: () => assert.fail("gone") };
  using _other = new Screen(output, gone, () => ["a"]);
  resize(3);
  assert.equal(text(), "\u001b[?1049h\u001b[?25l");
});
