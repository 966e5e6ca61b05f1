import { attachStreamRoute } from './attach-stream.ts';
import { streamMessageRoute } from './stream-message.ts';

export const chatSseRoutes = [streamMessageRoute, attachStreamRoute];
