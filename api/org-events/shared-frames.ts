import type { NewsFrames } from '../context/org-subscriptions.ts';
import { encodeFrame } from '../sockets/frame-socket.ts';
import type { EventFrame } from './event-frame.ts';
import type { ToldNews } from './may-know.ts';

/** The frame after which everything is read again. */
export const RESYNC = encodeFrame({ type: 'resync' } satisfies EventFrame);

/** The frames of news that are told together: each is made once, however many members are told the same. */
export class SharedFrames implements NewsFrames {
  readonly #frames = new Map<string, Buffer>();

  /** Returns the frame that tells of a change; the same one for the same words. */
  of({ resource, id, action }: ToldNews): Buffer {
    const key = `${resource} ${id} ${action}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const frame = encodeFrame({ type: 'changed', resource, id, action } satisfies EventFrame);
    this.#frames.set(key, frame);
    return frame;
  }
}
