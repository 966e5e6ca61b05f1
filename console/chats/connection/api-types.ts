import type { components } from '../../openapi.ts';

type Schemas = components['schemas'];

/** A stored message. */
export type Message = Schemas['Message'];

/** The outcome of a tool call. */
export type CallStatus = Schemas['CallStatus'];

/** The outcome of a turn, or of a sub-agent's work. */
export type TurnStatus = Schemas['TurnStatus'];

/** A frame that the server sends over a socket with the subprotocol `everturn.v1`. */
export type AnyServerFrame = Schemas['ServerFrameV1'];

/** The frame of a type. */
export type ServerFrame<T extends AnyServerFrame['type']> = Extract<AnyServerFrame, { type: T }>;

/** A frame about a step of a turn. */
export type StepFrame = ServerFrame<
  | 'sub_agent_start'
  | 'sub_agent_step_start'
  | 'sub_agent_step_done'
  | 'sub_agent_done'
  | 'approval_requested'
  | 'approval_decided'
>;
