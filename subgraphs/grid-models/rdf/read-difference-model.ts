import { type ModelReader, modelReader } from './model-reader';
import type { ExpectedMember, ModelSink } from './model-sink';
import { DIFFERENCE_MODEL } from './read-outline';

/** Creates a streaming reader of difference models (see {@link modelReader}). */
export function differenceModelReader(sink: ModelSink, expected?: ExpectedMember): ModelReader {
  return modelReader(DIFFERENCE_MODEL, sink, expected);
}
