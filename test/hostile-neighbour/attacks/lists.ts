import { expect } from '@jest/globals';
import { waitUntil } from '../../support/wait-until.ts';
import type { Attack, AttackFamily } from '../attack.ts';
import type { Attacker } from '../attacker.ts';
import { PATIENCE_MS } from '../patience.ts';
import { RawConnection, requestHead } from '../raw-connection.ts';
import { tally } from '../tally.ts';

const AT_ONCE = 20;
const SLOW_READERS = 60;

/** Records as the service stores them, as large and as many as it allows, and lists of them. */
export const lists: AttackFamily = {
  name: 'lists',
  attacks: [
    reads('reads 2,000 chats with long titles, 20 times at once', async (attacker) => {
      const { user } = attacker;
      const chatId = await attacker.chat();
      await attacker.fill(
        `insert into chats (id, org_id, user_id, agent_id, title)
         select gen_random_uuid(), org_id, user_id, agent_id, ${noise(200)} from chats, generate_series(1, 2000) n
         where id = $1 and org_id = $2`,
        [chatId, user.orgId],
      );
      return '/api/chats';
    }),
    reads('reads 50 messages of a megabyte, 20 times at once', async (attacker) => {
      const chatId = await fillChat(attacker, 50);
      return `/api/chats/${chatId}/messages?limit=100`;
    }),
    readsSlowly('takes 50 messages of a megabyte slowly, 60 times at once', async (attacker) => {
      const chatId = await fillChat(attacker, 50);
      return `/api/chats/${chatId}/messages?limit=100`;
    }),
    reads('reads 5,000 memories of 10,000 characters, 20 times at once', async (attacker) => {
      const agentId = await fillMemories(attacker, 5_000);
      return `/api/agents/${agentId}/memories`;
    }),
    readsSlowly('takes 5,000 memories of 10,000 characters slowly, 60 times at once', async (attacker) => {
      const agentId = await fillMemories(attacker, 5_000);
      return `/api/agents/${agentId}/memories`;
    }),
    reads('reads 1,000 agents with long descriptions, 20 times at once', async (attacker) => {
      await attacker.fill(
        `insert into agents (id, org_id, name, description, agent_type, system_prompt, temperature, max_tokens,
           max_subagents, max_concurrency)
         select gen_random_uuid(), $1, 'Agent ' || n, ${noise(5_000)}, 'custom', ${noise(100_000)}, 0.3, 8192, 5, 2
         from generate_series(1, 1000) n`,
        [attacker.user.orgId],
      );
      return '/api/agents';
    }),
    reads('reads chains of the longest names, 20 times at once', async (attacker) => {
      await attacker.fill(
        `insert into provider_chains (id, org_id, name, steps)
         select gen_random_uuid(), $1, ${noise(200)},
           (select jsonb_agg(jsonb_build_object('provider_type', ${noise(90, 'step')}, 'model_name', ${noise(200, 'step')}))
            from generate_series(1, 20) step)
         from generate_series(1, 2000) n`,
        [attacker.user.orgId],
      );
      return '/api/providers/chains';
    }),
    {
      name: 'leaves 320 lists of 50 messages of a megabyte unread, 8 on a connection',
      run: async (attacker) => {
        const chatId = await fillChat(attacker, 50);
        const connections = await Promise.all(Array.from({ length: 40 }, () => RawConnection.open(attacker)));
        for (const connection of connections) {
          connection.socket.pause();
          connection.send(requestHead(attacker, `GET /api/chats/${chatId}/messages?limit=100`).repeat(8));
        }
        await attacker.waitUntilOver();
        for (const { socket } of connections) socket.resume();
        const hasAnswer = () => connections.some(({ received }) => received !== '') || undefined;
        await waitUntil('the first answers', hasAnswer);
        const statuses = await Promise.all(connections.map(async (connection) => connection.status(200)));
        for (const status of statuses) expect([200, 429, 503, undefined]).toContain(status);
        return tally(statuses);
      },
    },
    {
      name: 'reads the ends of an audit log of 20,000 entries, 20 at once',
      run: async (attacker) => {
        await attacker.fill(
          `insert into audit_log (id, org_id, actor_id, action, record_type, related_ids, fields, outcome, status, ip,
             attempts, created_at)
           select gen_random_uuid(), $1, $2, 'agents.create', 'agent', '{}', array[${noise(200)}], 'success', 201,
             '127.0.0.1', 1, now() from generate_series(1, 20000) n`,
          [attacker.user.orgId, attacker.user.id],
        );
        const answers = await attacker.repeat(AT_ONCE, async (index) => {
          const offset = index % 2 === 0 ? 0 : 9_000 + index;
          const path = `/api/audit?limit=1000&offset=${offset}&from=2020-01-01T00:00:00Z&outcome=success`;
          return (await attacker.client.get(path)).status;
        });
        expect(answers).toContain(200);
        for (const status of answers) expect([200, 429, 503]).toContain(status);
        return tally(answers);
      },
    },
    {
      name: 'opens 20 sockets to a chat whose last answer is a megabyte',
      run: async (attacker) => {
        const chatId = await fillChat(attacker, 20);
        const sockets = await attacker.repeat(AT_ONCE, async () => attacker.socket(chatId), 200);
        expect(sockets.some((socket) => socket !== undefined)).toBe(true);
        return tally(sockets.map((socket) => (socket === undefined ? 'refused' : 'open')));
      },
    },
    {
      name: 'asks a chat of 50 messages of a megabyte',
      run: async (attacker) => {
        const chatId = await fillChat(attacker, 50);
        const { kind } = await attacker.askToTheEnd(chatId, 'And?');
        expect(kind).toBe('answered');
        return kind;
      },
    },
  ],
};

/** Reads a list many times at once, whole. */
function reads(name: string, fill: (attacker: Attacker) => Promise<string>): Attack {
  return {
    name,
    run: async (attacker) => {
      const path = await fill(attacker);
      const answers = await attacker.repeat(AT_ONCE, async () => {
        return (await attacker.client.get(path)).status;
      });
      expect(answers).toContain(200);
      for (const status of answers) expect([200, 413, 429]).toContain(status);
      return tally(answers);
    },
  };
}

/** Asks for a list many times at once and takes nothing of the answers. */
function readsSlowly(name: string, fill: (attacker: Attacker) => Promise<string>): Attack {
  return {
    name,
    run: async (attacker) => {
      const path = await fill(attacker);
      const connections = await Promise.all(Array.from({ length: SLOW_READERS }, () => RawConnection.open(attacker)));
      for (const connection of connections) {
        connection.socket.pause();
        connection.send(requestHead(attacker, `GET ${path}`));
      }
      await attacker.waitUntilOver();
      const statuses = await Promise.all(
        connections.map(async (connection) => {
          connection.socket.resume();
          const status = await connection.status(PATIENCE_MS);
          connection.socket.destroy();
          return status;
        }),
      );
      expect(statuses).toContain(200);
      return tally(statuses);
    },
  };
}

/** Stores questions of 200,000 and answers of a million characters, and answers their chat. */
async function fillChat(attacker: Attacker, turns: number): Promise<string> {
  const chatId = await attacker.chat();
  const { user } = attacker;
  await attacker.fill(
    `with ended as (
       insert into turns (id, org_id, chat_id, user_id, status, attempt, started_at, ended_at)
       select gen_random_uuid(), $1, $2, $3, 'completed', 1, now(), now() from generate_series(1, $4) returning id
     ), said as (
       select ended.id, role, size, row_number() over () as n
       from ended, (values ('user', 200000), ('assistant', 1000000)) as part (role, size)
     )
     insert into messages (id, org_id, chat_id, turn_id, role, content, user_id, metadata)
     select gen_random_uuid(), $1, $2, said.id, role,
       left(repeat(md5(n::text), size / 32 + 1), size), $3, '{"status":"completed"}'
     from said`,
    [user.orgId, chatId, user.id, turns],
  );
  return chatId;
}

/** Stores memories of 10,000 characters, and answers their agent. */
async function fillMemories(attacker: Attacker, count: number): Promise<string> {
  const { json } = await attacker.client.post<{ id: string }>('/api/agents', { name: 'Archive' });
  await attacker.fill(
    `insert into agent_memories (id, org_id, agent_id, content, type, priority)
     select gen_random_uuid(), $1, $2, ${noise(10_000)}, 'fact', 3 from generate_series(1, $3::int) n`,
    [attacker.user.orgId, json.id, count],
  );
  return json.id;
}

/** SQL for so many characters that are others in each row. */
function noise(characters: number, row = 'n'): string {
  return `left(repeat(md5(${row}::text) || ' ', ${Math.ceil(characters / 33)}), ${characters})`;
}
