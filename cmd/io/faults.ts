/**
 * Keeps the process alive when something fails that nobody waits for.
 *
 * @param report Told of each such error.
 * @returns Ends this.
 */
export function surviveFaults(report: (error: unknown) => void): () => void {
  const onRejection = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    report(event.reason);
  };
  const onError = (event: ErrorEvent): void => {
    event.preventDefault();
    report(event.error);
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  globalThis.addEventListener("error", onError);
  return () => {
    globalThis.removeEventListener("unhandledrejection", onRejection);
    globalThis.removeEventListener("error", onError);
  };
}
