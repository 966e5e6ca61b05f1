import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';

const root = createRootRoute();
const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });

function Home() {
  return <h1>Everturn</h1>;
}

/** Makes the router of all pages. */
export function createConsoleRouter() {
  return createRouter({ routeTree: root.addChildren([home]) });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
