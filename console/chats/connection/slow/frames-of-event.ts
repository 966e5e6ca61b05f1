import type { components } from '../../../openapi.ts';
import type { AnyServerFrame } from '../api-types.ts';

type Schemas = components['schemas'];

/** An event of the stream of a turn. */
export type TurnEvent =
  | { event: 'stream_start'; data: Schemas['StreamStart'] }
  | { event: 'chunk'; data: Schemas['Chunk'] }
  | { event: 'tool_call'; data: Schemas['ToolCallProgress'] }
  | { event: 'approval'; data: Schemas['ApprovalProgress'] }
  | { event: 'stream_end'; data: Schemas['StreamEnd'] }
  | { event: 'error'; data: Schemas['StreamError'] };

/** Says what a socket would say, of the events of one turn's stream: its chunks tell where they belong. */
export class TurnFrames {
  #turnId = '';
  #offset = 0;

  /** Returns the frames that say what an event says. */
  framesOf(event: TurnEvent): readonly AnyServerFrame[] {
    switch (event.event) {
      case 'stream_start':
        return this.#start(event.data.turn_id);
      case 'chunk':
        return [this.#chunk(event.data.content)];
      case 'tool_call':
        return [this.#step(event.data)];
      case 'approval':
        return this.#approval(event.data);
      case 'stream_end':
        return [this.#end(event.data.message)];
      case 'error':
        return [{ type: 'error', ...event.data, turn_id: this.#turnId, request: null, client_message_id: null }];
      // Events that are newer than this page.
      default:
        return [];
    }
  }

  // A stream that is resumed names its turn again; its chunks go on where they were.
  #start(turnId: string): readonly AnyServerFrame[] {
    if (turnId !== this.#turnId) this.#offset = 0;
    this.#turnId = turnId;
    return [{ type: 'joined', turn_id: turnId, newest_message_id: null, steps: [] }];
  }

  #chunk(content: string): AnyServerFrame {
    const offset = this.#offset;
    this.#offset += content.length;
    return { type: 'chunk', turn_id: this.#turnId, offset, content };
  }

  #step({ step_id, name, label, status }: components['schemas']['ToolCallProgress']): AnyServerFrame {
    const of = { turn_id: this.#turnId, task_id: this.#turnId, step_id };
    if (status !== 'running') return { type: 'sub_agent_step_done', ...of, status };
    return { type: 'sub_agent_step_start', ...of, step_name: name, step_label: label };
  }

  #approval({ call, status, ...ids }: components['schemas']['ApprovalProgress']): readonly AnyServerFrame[] {
    const of = { ...ids, turn_id: this.#turnId };
    if (status !== 'pending') return [{ type: 'approval_decided', ...of, status }];
    if (call === undefined) return [];
    const { name, label, ...rest } = call;
    return [{ type: 'approval_requested', ...of, ...rest, step_name: name, step_label: label }];
  }

  #end(message: components['schemas']['Message']): AnyServerFrame {
    const { id, turn_id, content, metadata_, created_at, provider_used, agent_id, agent_name } = message;
    const of = { turn_id, message_id: id, provider_used, agent_id, agent_name };
    return { type: 'stream_end', ...of, content, metadata: metadata_, created_at };
  }
}
