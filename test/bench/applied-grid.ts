import type { Finding } from '../../subgraphs/grid-models/base-models/applied-object';
import { applyDifferences } from '../../subgraphs/grid-models/base-models/apply-differences';
import { projectDifferences } from '../../subgraphs/grid-models/base-models/project-differences';
import { differenceModelReader } from '../../subgraphs/grid-models/rdf/read-difference-model';
import { fullModelReader } from '../../subgraphs/grid-models/rdf/read-full-model';

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Applies a difference model to a full model, chunk by chunk. Returns the statements of the result and the findings. */
export async function appliedStatements(project: Chunks, base: Chunks, afterChunk: () => void = () => undefined) {
  const nothing = () => undefined;
  const fault = ({ line, message }: { line: number | null; message: string }) => {
    throw new Error(`the generated file is at fault in line ${line}: ${message}`);
  };
  const differences = projectDifferences();
  const findings: Finding[] = [];
  let statements = 0;
  const reader = differenceModelReader({
    ...{ section: nothing, precondition: nothing, header: nothing, fault },
    item: (section, item) => differences.add('EQ', section, item),
  });
  for await (const chunk of project) {
    reader.write(chunk);
    afterChunk();
  }
  reader.end();
  const application = applyDifferences(differences, {
    item: (_, item) => void (statements += item.statements.length),
    finding: (finding) => void findings.push(finding),
  });
  const baseReader = fullModelReader({ header: nothing, fault, item: (item) => application.base('EQ', item) });
  for await (const chunk of base) {
    baseReader.write(chunk);
    afterChunk();
  }
  baseReader.end();
  for (const _ of application.end());
  afterChunk();
  return { statements, findings: findings.length };
}
