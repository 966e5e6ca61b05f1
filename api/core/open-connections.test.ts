import { describe, expect, test } from '@jest/globals';
import { OpenConnections } from './open-connections.ts';

const ada = { userId: 'ada', orgId: 'one' };
const bob = { userId: 'bob', orgId: 'one' };
const eve = { userId: 'eve', orgId: 'two' };
const BOUNDS = { perUser: 2, perOrg: 3, perProcess: 4 };

describe('open connections', () => {
  test('are refused beyond the bound of a user, and let in again when one has left', () => {
    const open = new OpenConnections(BOUNDS);
    const leave = open.enter(ada);
    open.enter(ada);
    expect(() => open.enter(ada)).toThrow('You have 2 open connections, sockets and event streams together');
    open.enter(bob);
    leave();
    open.enter(ada);
  });

  test('are refused beyond the bound of an organization, whoever of it comes', () => {
    const open = new OpenConnections(BOUNDS);
    for (const owner of [ada, ada, bob]) open.enter(owner);
    expect(() => open.enter(bob)).toThrow('Your organization has 3 open connections');
    open.enter(eve);
  });

  test('are refused beyond the bound of the process', () => {
    const open = new OpenConnections(BOUNDS);
    for (const owner of [ada, ada, bob, eve]) open.enter(owner);
    expect(() => open.enter(eve)).toThrow('The server has too many open connections');
  });

  test('leave once, however often they are told to', () => {
    const open = new OpenConnections(BOUNDS);
    const leave = open.enter(ada);
    open.enter(ada);
    leave();
    leave();
    open.enter(ada);
    expect(() => open.enter(ada)).toThrow('You have 2');
  });

  test('of a user in several organizations count together', () => {
    const open = new OpenConnections(BOUNDS);
    open.enter(ada);
    open.enter({ ...ada, orgId: 'two' });
    expect(() => open.enter({ ...ada, orgId: 'three' })).toThrow('You have 2');
  });
});
