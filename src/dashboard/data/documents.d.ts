/** A query as text: `import FLEET from '../data/fleet.graphql?raw'`. */
declare module '*.graphql?raw' {
  const text: string;
  export default text;
}
