/**
 * Makes what chooses among several by weight.
 *
 * @param choices What is chosen from; weights of 0 are never chosen, unless all are 0.
 * @param random Gives numbers from 0 to below 1.
 * @returns Chooses one; `undefined` where there is nothing to choose from.
 */
export function createWeightedChoice<T extends { readonly weight: number }>(
  choices: readonly T[],
  random: () => number,
): () => T | undefined {
  const weighed = choices.filter(({ weight }) => weight > 0);
  const only = weighed[0] ?? choices[0];
  if (weighed.length <= 1) return () => only;

  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return () => {
    let rest = random() * total;
    return weighed.find(({ weight }) => (rest -= weight) < 0) ?? only;
  };
}
