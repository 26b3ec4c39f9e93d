/** Bytes that are parsed between two checks of the size of a batch: about 4,000 statements at most. */
export const PARSED_BYTES = 16 * 1024;

/** The part of a reader that {@link parseAgain} needs. */
interface Reader {
  write(bytes: Uint8Array): unknown;
  end(): void;
}

/** What the sink of a reader collects, to be stored in batches. */
interface Batches {
  isFull(): boolean;
  /** Stores the batch. Must take it before the first `await`, because the next one is parsed meanwhile. */
  store(): Promise<void>;
}

/** Parses a checked file again. Stores a batch, if there are any, while it parses the next one. */
export async function parseAgain(bytes: AsyncIterable<Buffer>, reader: Reader, batches?: Batches): Promise<void> {
  let storing: Promise<void> | undefined;
  const store = async () => {
    await storing;
    storing = batches?.store();
    storing?.catch(() => undefined); // the next `await storing` receives the error
  };
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += PARSED_BYTES) {
      reader.write(chunk.subarray(at, at + PARSED_BYTES));
      if (batches?.isFull()) await store();
    }
  }
  reader.end();
  await store();
  await storing;
}

/** The sink for faults of a file that is parsed again: it had none when it was checked. */
export function throwFault({ message }: { readonly message: string }): never {
  throw new Error(`a checked file has a fault when it is parsed again: ${message}`);
}
