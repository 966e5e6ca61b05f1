import { documentFileRoutes, documentRoutes } from './document-routes.ts';
import { knowledgeBaseRoutes as recordRoutes } from './routes.ts';

export const knowledgeBaseRoutes = [...recordRoutes, ...documentRoutes, ...documentFileRoutes];
