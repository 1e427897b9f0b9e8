declare module 'swagger-ui-dist/absolute-path.js' {
  /** The folder of Swagger UI's files; this module alone loads none of them. */
  function swaggerFolder(): string;
  export = swaggerFolder;
}
