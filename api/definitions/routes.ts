import { PERSONAS, SKILLS, TOOLS } from './family.ts';
import { archiveRoutes } from './archive-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { recordRoutes } from './record-routes.ts';

export const definitionRoutes = [
  ...recordRoutes(TOOLS),
  ...fileRoutes(TOOLS),
  ...archiveRoutes(TOOLS),
  ...recordRoutes(SKILLS),
  ...fileRoutes(SKILLS),
  ...archiveRoutes(SKILLS),
  ...recordRoutes(PERSONAS),
  ...archiveRoutes(PERSONAS),
];
