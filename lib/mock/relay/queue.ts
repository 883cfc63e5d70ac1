/** Runs tasks one after the other, and gives their results. A task that fails doesn't stop the next ones. */
export type Queue = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Makes a queue. */
export function createQueue(): Queue {
  let last: Promise<void> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    // Maps the result to nothing: else it would stay in memory until the next task.
    last = result.then(() => {}, () => {});
    return result;
  };
}
