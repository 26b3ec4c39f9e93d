import { RegisterError } from '../../schema/register-error';
import { type ConnectionEnd, isCredentialError } from './connection-end';
import type { EventStream } from './event-stream';
import type { Connection } from './open-connections';

/** Ends one subscription on the register's initiative: its start, or its stream once it has one. */
export class SubscriptionEnd {
  private failure: RegisterError | undefined;
  private stream: EventStream | undefined;

  constructor(private readonly connection: Connection) {}

  /** Ends the subscription together with its connection. */
  readonly withConnection = (reason: ConnectionEnd): void => {
    if (isCredentialError(reason)) this.fail(new RegisterError(reason));
    else void this.stream?.return();
    this.connection.end(reason);
  };

  /** Ends the subscription with an error. */
  fail(failure: RegisterError): void {
    this.failure ??= failure;
    this.stream?.fail(failure);
  }

  /** From now on ends the stream of the subscription. If its start was ended, closes the stream and throws the error. */
  endsStream(stream: EventStream): void {
    this.stream = stream;
    if (!this.failure) return;
    void stream.return();
    throw this.failure;
  }
}
