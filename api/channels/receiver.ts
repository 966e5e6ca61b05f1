import type { z } from 'zod';
import type { ReceivingChannel } from '../../db/channels/channels.ts';
import type { ApiContext } from '../context/api-context.ts';
import type { Delivery } from '../http/define-route.ts';
import type { receiptSchema } from './schema.ts';

/** A request that was signed with the secret of a channel. */
export interface Received {
  readonly channel: ReceivingChannel;
  readonly delivery: Delivery;
  /** The address that it came from. */
  readonly ip: string;
}

/** How channels of one kind receive. */
export interface Receiver {
  /** The header that a request is signed in. */
  readonly signature: string;
  /** Returns whether a request was signed with the secret, lately. Takes as long for a wrong signature. */
  isSigned(delivery: Delivery, secret: string): boolean;
  /** Stores what was received, to be handled later. */
  receive(context: ApiContext, received: Received): Promise<z.input<typeof receiptSchema>>;
}
