import { chatSocketDescription } from '../chat-socket/describe-socket.ts';
import { orgEventsDescription } from '../org-events/event-frame.ts';
import { routes } from '../routes.ts';
import { openApiDocument } from './openapi.ts';

// Prints what a running api answers at /openapi.json, without a version and without a database.
const document = openApiDocument({ routes, sockets: [chatSocketDescription, orgEventsDescription], version: '' });
process.stdout.write(JSON.stringify(document));
