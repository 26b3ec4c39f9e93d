import type { GraphAnswer, GraphClient, GraphFailure } from './client/graph-client';
import type { OperationMetrics } from './metrics';
import { presented } from './presentation';
import type { FailureReport } from './request-log';
import type { TrustedDocuments } from './trusted-documents';

/** The graph for a client in this process: the same code as over HTTP, without HTTP. The client writes the log line. */
export function trustedClient(
  documents: TrustedDocuments,
  metrics: OperationMetrics,
  report: FailureReport,
): GraphClient {
  return {
    async run(operation, variables, facts): Promise<GraphAnswer> {
      const stop = metrics.start(operation);
      const { data, errors } = await documents
        .run(operation, variables, facts)
        .catch((error: unknown) => ({ data: undefined, errors: [error] }));
      if (errors === undefined) {
        stop('ok');
        return { data, failures: [] };
      }
      const failures = errors.map((error) => failureOf(error, report, facts.transactionId));
      stop(failures[0]?.code ?? 'ok');
      return { data, failures };
    },
    admit: (operation, facts) =>
      documents.admit(operation, facts).then(
        () => undefined,
        (error: unknown) => failureOf(error, report, facts.transactionId),
      ),
  };
}

function failureOf(error: unknown, report: FailureReport, transactionId: string): GraphFailure {
  report(error, transactionId);
  const { message, extensions } = presented(error);
  return { message, ...extensions };
}
