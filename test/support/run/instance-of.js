/**
 * In place of `graphql/jsutils/instanceOf.js`, as graphql does it in production. In development it also compares the names of
 * classes: that takes a tenth of the processor time of `tariffs.test.ts`.
 */
exports.instanceOf = (value, constructor) => value instanceof constructor;
