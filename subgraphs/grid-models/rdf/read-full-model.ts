import type { DifferenceItem, DifferenceModelHeader, Fault } from './difference-model';
import type { ExpectedMember } from './model-sink';
import { FULL_MODEL } from './full-model-outline';
import { type ModelReader, modelReader } from './model-reader';

/** Receives the parts of a full model while it is parsed. The rules of `ModelSink` apply. */
export interface FullModelSink {
  /** An object, or (`rdf:about`) more statements about an object of another file. */
  item(item: DifferenceItem): void;
  header(header: DifferenceModelHeader | null): void;
  fault(fault: Fault): void;
}

/** Creates a streaming reader of full models (`md:FullModel`, CGMES). */
export function fullModelReader(sink: FullModelSink, expected?: ExpectedMember): ModelReader {
  const nothing = (): void => undefined;
  return modelReader(
    FULL_MODEL,
    {
      section: nothing,
      precondition: nothing,
      item: (_, item) => sink.item(item),
      header: (header) => sink.header(header),
      fault: (fault) => sink.fault(fault),
    },
    expected,
  );
}
