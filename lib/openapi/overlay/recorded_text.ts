/** The first line of a recording. */
export const RECORDED = "# Recorded from an upstream by gw; secrets are redacted.\n";

/**
 * Joins the documents of a recording into one. Earlier versions of gw ended the YAML document after each recorded text
 * with an empty line at its end, although further actions followed. Other texts are returned unchanged.
 */
export function joinDocuments(overlay: string | Uint8Array): string | Uint8Array {
  const beginning = typeof overlay === "string"
    ? overlay
    : new TextDecoder().decode(overlay.subarray(0, RECORDED.length));
  if (!beginning.startsWith(RECORDED)) return overlay;
  const text = typeof overlay === "string" ? overlay : new TextDecoder().decode(overlay);
  // A comment keeps the numbers of the lines that follow.
  return text.replace(/^\.\.\.\n(?= {2}- )/gm, "#\n");
}
