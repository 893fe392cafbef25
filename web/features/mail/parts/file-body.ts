const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/** The fields of a request that stores a file. */
export async function fileBody(file: File, contentId: string | null) {
  return {
    filename: file.name.slice(0, 255) || 'file',
    content: await readBase64(file),
    content_type: MEDIA_TYPE.test(file.type) ? file.type : null,
    content_id: contentId,
  };
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      const url = reader.result as string;
      resolve(url.slice(url.indexOf(',') + 1));
    });
    reader.addEventListener('error', () => reject(new Error('The file could not be read.')));
    reader.readAsDataURL(file);
  });
}
