import { describe, expect, test } from '@jest/globals';
import { chosenSubprotocol, offeredSubprotocols, offeredTokens } from './read-upgrade.ts';

describe('the subprotocols of a handshake', () => {
  test('are read in the order in which they are offered', () => {
    expect(offeredSubprotocols({ headers: { 'sec-websocket-protocol': 'everturn.v1, bearer.abc' } })).toEqual([
      'everturn.v1',
      'bearer.abc',
    ]);
    expect(offeredSubprotocols({ headers: {} })).toEqual([]);
  });

  test.each([
    [['everturn.v1', 'bearer.abc'], 'everturn.v1', ['abc']],
    [['bearer.abc', 'everturn.v1'], 'everturn.v1', ['abc']],
    [['everturn.v1', 'bearer.a', 'bearer.b'], 'everturn.v1', ['a', 'b']],
    [['everturn.v1'], 'everturn.v1', []],
    [['bearer.abc'], undefined, []],
    [['everturn.v2', 'bearer.abc'], 'everturn.v2', []],
    [['chat', 'other'], 'chat', []],
  ])('%j answer %j and hold the tokens %j', (offered, chosen, tokens) => {
    expect(chosenSubprotocol(offered)).toBe(chosen);
    expect(offeredTokens(offered)).toEqual(tokens);
  });
});
