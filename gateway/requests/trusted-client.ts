import type { GraphResult, GraphClient, GraphFailure } from '../client/graph-client';
import type { OperationMetrics } from './operation-metrics';
import { formatError } from './error-format';
import type { FailureReport } from './request-log';
import type { TrustedDocuments } from './trusted-documents';

/** Graph client for a caller in the same process: runs the same steps as over HTTP. The caller writes the log line. */
export function trustedClient(
  documents: TrustedDocuments,
  metrics: OperationMetrics,
  report: FailureReport,
): GraphClient {
  return {
    async run(operation, variables, metadata): Promise<GraphResult> {
      const stop = metrics.start(operation);
      const { data, errors } = await documents
        .run(operation, variables, metadata)
        .catch((error: unknown) => ({ data: undefined, errors: [error] }));
      if (errors === undefined) {
        stop('ok');
        return { data, failures: [] };
      }
      const failures = errors.map((error) => failureOf(error, report, metadata.transactionId));
      stop(failures[0]?.code ?? 'ok');
      return { data, failures };
    },
    admit: (operation, metadata) =>
      documents.admit(operation, metadata).then(
        () => undefined,
        (error: unknown) => failureOf(error, report, metadata.transactionId),
      ),
  };
}

function failureOf(error: unknown, report: FailureReport, transactionId: string): GraphFailure {
  report(error, transactionId);
  const { message, extensions } = formatError(error);
  return { message, ...extensions };
}
