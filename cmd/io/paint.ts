/** Colours a text for a terminal (ECMA-48, section 8.3.117, Select Graphic Rendition). */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Makes a paint; one without colour gives texts back as they are. */
export function createPaint(color: boolean): Paint {
  const style = (on: number, off: number) => (text: string): string =>
    color ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
  };
}
