/** Runs tasks one after the other, and returns their results. A task that fails doesn't stop the next one. */
export type Queue = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createQueue(): Queue {
  let last: Promise<void> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    // Drop the result, which would otherwise stay in memory until the next task.
    last = result.then(() => {}, () => {});
    return result;
  };
}
