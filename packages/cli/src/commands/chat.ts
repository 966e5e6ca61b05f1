import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type Everturn, type TurnEvent, TurnFailedError } from '../../../sdk/src/index.ts';
import { ask } from '../ask.ts';
import { Context, findNamed, type GlobalOptions, parseId } from '../context.ts';
import { EXIT, Failure } from '../failure.ts';
import type { Output } from '../output.ts';
import type { Environment } from '../environment.ts';

interface ChatOptions extends GlobalOptions {
  readonly agent?: string;
  readonly message?: string;
}

/** Adds `chat`. */
export function chatCommand(program: Command, environment: Environment): void {
  program
    .command('chat')
    .description('talk to an agent; without a terminal, the message is read from standard input')
    .argument('[chat]', 'the id of a chat to go on with', parseId)
    .option('--agent <agent>', 'begin a new chat with this agent, by name or id')
    .option('--message <text>', 'send this message, write its answer, and end')
    .action(async (chat: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ChatOptions>();
      await talk(new Context(environment, options), chat, options);
    });
}

async function talk(context: Context, chat: string | undefined, { agent, message }: ChatOptions): Promise<void> {
  if ((chat === undefined) === (agent === undefined))
    throw new Failure('Name either a chat to go on with, or an agent with --agent.', EXIT.usage);
  const { environment, output } = context;
  const isTerminal = environment.stdin.isTTY === true;
  const single = message ?? (isTerminal ? undefined : await text(environment.stdin));
  if (single?.trim() === '') throw new Failure('The message is empty.', EXIT.usage);
  const { client } = await context.connect();
  const conversation = new Conversation(context, client, chat ?? (await createChat(client, agent ?? '')));
  if (single !== undefined) {
    if (chat === undefined) output.remark(`Chat ${conversation.id}`);
    await conversation.say(single);
    return;
  }
  output.remark(`Chat ${conversation.id}. Ctrl-C interrupts an answer, Ctrl-D leaves.`);
  await converse(conversation, environment, output);
}

async function createChat(client: Everturn, agent: string): Promise<string> {
  const { id } = await findNamed('agents', client.list('/api/agents'), agent);
  return (await client.request('POST', '/api/chats', { body: { agent_id: id } })).id;
}

async function converse(conversation: Conversation, environment: Environment, output: Output): Promise<void> {
  const history: string[] = [];
  for (;;) {
    const line = await ask(environment, '> ', { history });
    if (line === undefined) return;
    if (line.trim() === '') continue;
    history.unshift(line);
    try {
      await conversation.say(line);
    } catch (error) {
      const isOver =
        error instanceof TurnFailedError || (error instanceof Failure && error.exitCode === EXIT.interrupted);
      if (!isOver) throw error;
      output.failure(error.message);
    }
  }
}

/** A chat in which messages are sent one after the other. */
class Conversation {
  readonly id: string;
  readonly #context: Context;
  readonly #client: Everturn;

  constructor(context: Context, client: Everturn, id: string) {
    this.#context = context;
    this.#client = client;
    this.id = id;
  }

  /** Sends a message and writes its answer. Throws when the turn fails or is interrupted. */
  async say(content: string): Promise<void> {
    const { environment, output } = this.#context;
    const turn = this.#client.chats.send(this.id, content);
    let stopping: Promise<void> | undefined;
    const stop = () => {
      output.remark('\nInterrupting; Ctrl-C again leaves.');
      stopping = turn.stop();
      // The turn continues if this fails; awaiting `stopping` below reports why.
      stopping.catch(() => undefined);
    };
    try {
      await environment.interrupts.during(stop, async () => {
        for await (const event of turn) show(event, output);
      });
    } finally {
      if (!output.isJson && turn.text !== '') output.text('\n');
    }
    await stopping;
    const { metadata_: metadata } = await turn.message();
    if (stopping !== undefined) throw new Failure('Interrupted.', EXIT.interrupted);
    if (metadata.status === 'interrupted') throw new Failure('The turn was interrupted by somebody else.');
  }
}

function show(event: TurnEvent, output: Output): void {
  if (output.isJson) {
    output.result(event, () => '');
    return;
  }
  if (event.type === 'chunk') output.text(event.content);
  if (event.type === 'tool_call') output.remark(`[${event.label}: ${event.status}]`);
  if (event.type === 'approval' && event.status === 'pending')
    output.remark(`[${event.call?.label ?? 'A call'} waits for a person]`);
}
