/**
 * The members `K` of the app's class `T`, for classes of the host that implement only those. A
 * method that returns the object itself may return the host's, which lacks the other members.
 */
export type Part<T, K extends keyof T = keyof T> = {
  [M in K]: T[M] extends (...given: infer Given) => T ? (...given: Given) => unknown : T[M];
};
