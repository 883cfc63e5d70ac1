/**
 * Words of paths and of operation ids that tell what an operation does, in lower case, as `wordsOf` returns them.
 *
 * @module
 */

/** First words of actions that create another object or change nothing. */
export const OTHER_ACTIONS: ReadonlySet<string> = new Set([
  ..."copy clone duplicate fork create import export preview render validate test calculate estimate".split(" "),
  ..."search query batch bulk split merge new add list generate check get find instantiate replicate".split(" "),
]);

/** Words of the ids of operations that create no item, although they POST to a collection. */
export const NOT_CREATED: ReadonlySet<string> = new Set([
  ..."search query find lookup batch bulk validate preview calculate estimate export test many multiple".split(" "),
  ..."delete remove".split(" "),
]);

/** Those of them that say no more than that the body is a list. */
export const OF_LISTS: ReadonlySet<string> = new Set("batch bulk many multiple".split(" "));

/** Words of a path that name an action. Such a path is no singleton, even if it has a GET. */
export const ACTION_VERBS: ReadonlySet<string> = new Set([
  ..."add calculate check convert create delete detect execute find generate get list login logout lookup".split(" "),
  ..."parse query remove run search send submit translate update validate verify".split(" "),
]);
