import type { Bytes } from "../http/handler.ts";

/**
 * A body that fails when its source is silent for too long.
 *
 * @param timeout Milliseconds between two chunks.
 * @param onSilence Told when it fails for that.
 */
export function withIdleTimeout(
  body: ReadableStream<Bytes>,
  timeout: number,
  onSilence: () => void = () => {},
): ReadableStream<Bytes> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          onSilence();
          reject(new Error(`The sender was silent for ${timeout} ms.`));
        }, timeout);
      });
      try {
        const { done, value } = await Promise.race([reader.read(), silence]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        await reader.cancel(error).catch(() => {});
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
