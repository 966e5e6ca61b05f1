import { Refused, type Routes } from './google-routes.ts';

type Fields = Readonly<Record<string, unknown>>;

const EVENTS = '/calendar/v3/calendars/*/events';

/** Events of one calendar as the Calendar API has them. */
export class GoogleCalendarEvents {
  readonly events = new Map<string, Fields>();
  readonly routes: Routes = {
    [`GET ${EVENTS}`]: () => ({ kind: 'calendar#events', items: [...this.events.values()] }),
    [`POST ${EVENTS}`]: ({ json }) => {
      const id = typeof json['id'] === 'string' ? json['id'] : `made${this.events.size}`;
      if (!/^[a-v0-9]{5,1024}$/.test(id)) return new Refused(400, 'Invalid resource id value.');
      if (this.events.has(id)) return new Refused(409, 'The requested identifier already exists.');
      return this.#store(id, json);
    },
    [`GET ${EVENTS}/*`]: ({ parts: [, id = ''] }) => this.events.get(id) ?? new Refused(404, 'Not Found'),
    [`PATCH ${EVENTS}/*`]: ({ parts: [, id = ''], json }) =>
      this.events.has(id) ? this.#store(id, { ...this.events.get(id), ...json }) : new Refused(404, 'Not Found'),
    [`DELETE ${EVENTS}/*`]: ({ parts: [, id = ''] }) =>
      this.events.delete(id) ? undefined : new Refused(410, 'Resource has been deleted'),
    'POST /calendar/v3/freeBusy': ({ json: { timeMin, timeMax, items } }) => ({
      timeMin,
      timeMax,
      calendars: Object.fromEntries(
        (items as readonly { id: string }[]).map(({ id }) => [id, { busy: [{ start: timeMin, end: timeMax }] }]),
      ),
    }),
  };

  #store(id: string, fields: Fields): Fields {
    const event = { kind: 'calendar#event', status: 'confirmed', ...fields, id };
    this.events.set(id, event);
    return event;
  }
}
