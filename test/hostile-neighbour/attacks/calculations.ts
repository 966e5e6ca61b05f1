import { expect } from '@jest/globals';
import type { Attack, AttackFamily } from '../attack.ts';
import { expectBounded, expectRefused, expectStruck } from '../expect-ending.ts';
import type { HostileCall } from '../hostile-replies.ts';
import { PATIENCE_MS } from '../patience.ts';
import { tally } from '../tally.ts';

/** What is said of a calculation that reached its bound of memory or, where the processor has other work, of time. */
const TOO_MUCH = /memory|too (?:large|long|much|many)|limit|took longer than/i;

/** Calculations that eat memory, time or both. */
export const calculations: AttackFamily = {
  name: 'calculations',
  attacks: [
    refused('asks for an array of 100 million numbers', [math('ones(1e8)')]),
    refused('resizes an array to 100 million numbers', [math('resize([1], [100000000])')]),
    refused('pads a text to 500 million characters', [query('$pad("x", 500000000)')]),
    bounded('asks 32 times at once for 100 million numbers', repeated(32, math('ones(1e8)'))),
    bounded('doubles a text forty times', [query('$reduce([1..40], function($t, $i) { $t & $t }, "0123456789")')]),
    bounded('asks for ten million numbers for each of ten million', [query('[1..10000000].[1..10000000]')]),
    bounded('inverts a matrix of 1,500 x 1,500', [math('inv(random([1500, 1500]))')]),
    bounded('asks for the factorial of a million with 64 digits', [math('factorial(1000000)', { precision: 64 })]),
    bounded('maps in a map in a map', [
      math('map(1:3000, f(x) = sum(map(1:3000, g(y) = sum(map(1:3000, h(z) = z * y)))))'),
    ]),
    bounded('lets a function call itself for ever', [query('($f := function($x) { $f($x + 1) }; $f(0))')]),
    bounded('lets a function call itself deeper and deeper', [query('($f := function($x) { 1 + $f($x + 1) }; $f(0))')]),
    bounded('matches a pattern that never comes to an end', [query(`$match("${'a'.repeat(60)}!", /^(a+)+$/)`)]),
    bounded('nests brackets 4,900 deep', [math(`${'('.repeat(4_900)}1${')'.repeat(4_900)}`)]),
    bounded('asks for a result of 200 million characters', [
      query(`$join($map([1..2000000], function($i) { "${'x'.repeat(100)}" }))`),
    ]),
    bounded('makes 32 calculations without an end at once', repeated(32, query('($f := function() { $f() }; $f())'))),
    inChats('asks for a million characters of escapes, 31 times in each of 10 chats', 10, (at) =>
      query(`$string($pad("${at}", 240000, "\\""))`),
    ),
    inChats(
      'puts a text of 8 million characters in place of each letter of it, 31 times in each of 10 chats',
      10,
      (at) => query(`$replace($pad("", 2000, "x"), "x", $pad("${at}", 4000, "y"))`),
    ),
    {
      name: 'sends the demo model three messages that ask for 100 million numbers',
      run: async (attacker) => {
        const chats = await attacker.chats(3, ['math_evaluate']);
        const endings = await Promise.all(
          chats.map(async (chatId) => attacker.askToTheEnd(chatId, 'calculate ones(1e8)')),
        );
        for (const { kind, text } of endings) {
          expect(kind).toBe('answered');
          expect(text).toMatch(TOO_MUCH);
        }
        return tally(endings.map(({ text }) => text.replaceAll(/^.*(?=`math_evaluate` failed)/gs, '')));
      },
    },
  ],
};

function math(expression: string, options: Record<string, unknown> = {}): HostileCall {
  return { name: 'math_evaluate', arguments: { expression, ...options } };
}

function query(expression: string): HostileCall {
  return { name: 'json_query', arguments: { expression, data: {} } };
}

function repeated(times: number, call: HostileCall): HostileCall[] {
  return Array.from({ length: times }, () => call);
}

/** Makes calculations in several chats at once; those beyond what may wait are refused. */
function inChats(name: string, chats: number, callOf: (at: number) => HostileCall): Attack {
  const calls = Array.from({ length: 31 }, (_, at) => callOf(at));
  const words = new RegExp(`^[^{]{200}|rate_limited|${TOO_MUCH.source}`, 'i');
  return { name, run: async (attacker) => expectStruck(await attacker.runCallsInChats(chats, calls), words) };
}

/** Needs more than it may have, and is told so. */
function refused(name: string, calls: readonly HostileCall[]): Attack {
  return { name, run: async (attacker) => expectRefused(await attacker.runCalls(calls, PATIENCE_MS), TOO_MUCH) };
}

function bounded(name: string, calls: readonly HostileCall[]): Attack {
  return { name, run: async (attacker) => expectBounded(await attacker.runCalls(calls)) };
}
