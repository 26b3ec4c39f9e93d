/** A client must send its whole request within this time; uploads of Interface C have their own limit. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Interval at which Node closes connections whose request is late; by default 30 seconds. */
const CONNECTION_CHECK_INTERVAL_MS = 2_000;

/** Options of Fastify that limit the time of a request. Node exchanges both times if that of the headers is longer, by default 60 seconds. */
export const requestTimeouts = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: CONNECTION_CHECK_INTERVAL_MS },
};
