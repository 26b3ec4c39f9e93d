/**
 * A caller of an operation: its credential, and the response that it must receive, independent of the rest of the
 * request.
 */
export interface RestCaller {
  readonly who: string;
  /** Headers of its credential; empty if it is not authenticated. */
  readonly credential: Readonly<Record<string, string>>;
  /** The expected error code (in Interface D its error word). Undefined: it may call the operation. */
  readonly rejectedWith: string | undefined;
}
