import { withPlainNumbers } from '../../domain/core/objects/exact-json.ts';
import { isObject } from '../../domain/core/objects/is-object.ts';
import type { RpcMessage } from './schema.ts';

/** Returns a message with the numbers that the protocol's library reads; variables of workflows keep theirs exactly. */
export function withReadableNumbers(message: RpcMessage): RpcMessage {
  const plain = withPlainNumbers(message);
  const [given, args] = [message.params?.['arguments'], plain.params?.['arguments']];
  if (!isObject(given) || !isObject(args) || !('variables' in given)) return plain;
  return { ...plain, params: { ...plain.params, arguments: { ...args, variables: given['variables'] } } };
}
