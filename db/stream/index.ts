export { announceSteps, type StepNews } from './announce-step.ts';
export { announceTurnEnd } from './announce-turn-end.ts';
export { NotificationListener } from './notification-listener.ts';
export { purgeTurnEvents } from './purge-turn-events.ts';
export { packRecordNews, RECORDS_CHANNEL, unpackRecordNews } from './record-news.ts';
export { newPartOf, readPublishedText } from './read-turn-events.ts';
export { type StepAudience, TurnPublisher, TurnStream } from './turn-publisher.ts';
export { type AnnouncedEvent, EVENTS_CHANNEL, unpackPayload } from './wire.ts';
