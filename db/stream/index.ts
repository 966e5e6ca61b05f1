export { announceSteps, announceTurnEnd, type StepNews } from './announce-step.ts';
export { NotificationListener } from './notification-listener.ts';
export { newPartOf, purgeTurnEvents, readPublishedText } from './read-turn-events.ts';
export { packRecordNews, RECORDS_CHANNEL, unpackRecordNews } from './record-news.ts';
export { type StepAudience, TurnPublisher, TurnStream } from './turn-publisher.ts';
export { type AnnouncedEvent, EVENTS_CHANNEL, unpackPayload } from './wire.ts';
