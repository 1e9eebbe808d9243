import { LISTED_NAMES, type Words } from "./language.ts";
import { capitalized, wordGroup } from "./sentences.ts";

const number = (value: number) => value.toLocaleString("es");
const count = (value: number, one: string, several: string) =>
  `${number(value)} ${value === 1 ? one : several}`;
const listed = (names: readonly string[]) => {
  const all = names.slice(0, LISTED_NAMES).join(", ");
  return names.length > LISTED_NAMES ? `${all} y ${number(names.length - LISTED_NAMES)} más` : all;
};
const quoted = (names: readonly string[]) => listed(names.map((name) => `"${name}"`));
const RECOGNIZED = {
  contactPhone: "teléfono",
  contactEmail: "correo",
  cpf: "CPF",
  status: "situación",
} as const;

export const spanish: Words = {
  faults: {
    required: () => "es obligatorio y está vacío",
    too_long: ({ max }) => `debe tener como máximo ${max} caracteres`,
    characters_invalid: () => "tiene saltos de línea o caracteres de control",
    email_invalid: () => "no es un correo electrónico",
    cpf_invalid: () => "no es un CPF válido",
    date_invalid: () => "no es una fecha; escriba DD/MM/AAAA o AAAA-MM-DD",
    date_number: () => "es un número, no una fecha; dé formato de fecha a la columna y guarde de nuevo",
    year_two_digits: () => "tiene un año de dos cifras, como en 01/02/90; escriba cuatro",
    birthdate_out_of_range: ({ min }) => `debe estar entre ${min} y hoy`,
    number_shortened: () =>
      "fue abreviado por la hoja de cálculo, como en 5,29982E+10; dé formato de texto a la columna y escríbalo de nuevo",
    status_unknown: () => "debe ser activo o archivado",
    location_required: () => "no dice la sede",
    location_unknown: ({ name }) => `"${name}" no es una sede de la organización`,
    location_ambiguous: ({ name }) => `"${name}" es el nombre de varias sedes; escriba el id de la sede`,
    document_invalid: () => "no es el número de un documento",
    document_repeated: () => "es también el documento de una fila anterior",
    id_invalid: () => "no es el id de un cliente; déjelo vacío para uno nuevo",
    id_repeated: () => "es también el id de una fila anterior",
    client_erased: () => "es el id de un cliente cuyos datos se borraron",
    phone_invalid: () => "no es un teléfono",
    letters_lost: () => "tiene letras perdidas, como en Jo\ufffdo; escriba el texto de nuevo",
    cells_beyond_header: () =>
      "tiene valores en columnas sin nombre; dé nombre a las columnas o vacíe las celdas",
    formula_failed: () => "tiene una fórmula con error",
    formula_without_value: () =>
      "tiene una fórmula que nunca se calculó; abra el archivo, guárdelo e intente de nuevo",
    invalid: () => "no es válido",
  },
  questions: {
    organization_missing: () => "Una hoja de cálculo no dice la organización: indique cuál con --org ID.",
    sheet_empty: () => "La hoja está vacía: una fila debe dar nombre a las columnas.",
    not_text: () => "El archivo no es hoja de cálculo ni bundle: guarde la hoja como .xlsx o CSV.",
    old_excel: () =>
      "El archivo es del formato antiguo de Excel (.xls) o tiene contraseña: guárdelo como .xlsx sin contraseña, o como CSV.",
    open_document: () => "El archivo es una hoja OpenDocument (.ods): guárdela como .xlsx o CSV.",
    web_page: () =>
      "El archivo es una página web o XML, diga lo que diga su nombre: ábralo y guárdelo como .xlsx.",
    archive: () => "El archivo es un paquete sin libro dentro: descomprímalo primero.",
    encoding_mixed: ({ line }) =>
      `La línea ${line} tiene un carácter que no es UTF-8, y otras líneas son UTF-8: corrija esa línea o indique --encoding.`,
    encoding_unclear: ({ line }) =>
      `La línea ${line} tiene un carácter de codificación incierta: guarde el archivo como UTF-8 o indique --encoding windows-1252 o macintosh.`,
    encoding_wrong: ({ encoding }) => `El archivo no es ${encoding}, como dice --encoding.`,
    quote_misplaced: ({ line }) =>
      `La línea ${line} tiene comillas fuera de lugar: quítelas, o ponga la celda entre comillas y duplique las de dentro.`,
    row_endless: ({ row }) => `La fila ${row} no termina: faltan comillas de cierre, probablemente.`,
    row_too_long: ({ row, max }) =>
      `La fila ${row} tiene más de ${number(max)} caracteres: probablemente faltan comillas de cierre, o una celda tiene un documento entero.`,
    sheet_too_large: () =>
      "El archivo tarda demasiado en leerse: quite filas vacías, otras hojas y columnas que no son de los clientes, o divídalo.",
    delimiter_unclear: () =>
      'Lo que separa las columnas no es seguro: indique --delimiter ",", --delimiter ";" o --delimiter tab.',
    single_column_divided: ({ row }) =>
      `La primera fila da nombre a una sola columna, pero la fila ${row} parece dividida en varias: indique --delimiter none si es una sola; si no, dé nombre a las otras.`,
    columns_too_many: ({ max }) =>
      `La fila que da nombre a las columnas tiene más de ${max}: quite las que no son de los clientes.`,
    rows_too_many: ({ max }) => `La hoja tiene más de ${number(max)} filas.`,
    name_column_missing: () => "Ninguna columna es el nombre del cliente: llame a una de ellas Nombre.",
    columns_same: ({ first, second }) =>
      first === second
        ? `Dos columnas se llaman "${first}": dé otro nombre a una de ellas.`
        : `Las columnas "${first}" y "${second}" dicen lo mismo: deje una fuera, por ejemplo con --ignore "${second}".`,
    documents_two: ({ first, second }) =>
      `Un cliente tiene un solo documento, y las columnas "${first}" y "${second}" son dos: deje uno fuera, por ejemplo con --ignore "${second}".`,
    id_column_unclear: ({ column }) =>
      `La columna "${column}" puede ser un número de su lista o un documento: llámela Documento si lo es; si no, indique --ignore "${column}".`,
    download_garbled: ({ row, column }) =>
      `La fila ${row} tiene en "${column}" letras que la hoja de cálculo leyó con otra codificación, como JoÃ£o por João: descargue el archivo de nuevo, ábralo como UTF-8 (o pida csv=excel) y repita los cambios.`,
    download_columns_changed: ({ missing }) =>
      `El archivo es una descarga de clientes cuyas columnas se cambiaron, y sus filas no se pueden asociar a los clientes: conserve exactamente sus columnas, en su orden y con sus nombres${missing.length > 0 ? ` (faltan: ${quoted(missing)})` : ""}.`,
    ignored_column_unknown: ({ column }) => `No hay columna "${column}", que --ignore menciona.`,
    letters_garbled: ({ row, column }) =>
      `La fila ${row} tiene en "${column}" letras leídas con otra codificación, como JoÃ£o en vez de João: indique --garbled repair para corregirlas, --garbled keep para dejarlas como están.`,
    state_or_status: ({ row, column }) =>
      `La columna "${column}"${row === undefined ? "" : ` en la fila ${row}`} dice quién está activo, y en otras filas puede ser parte de la dirección: llámela Situación, o quite esas palabras y llámela Provincia.`,
    status_empty: ({ row, column }) =>
      `La fila ${row} no tiene nada en "${column}", donde otras dicen sí: escriba sí o no en todas las filas, o deje la columna fuera con --ignore "${column}".`,
    numbers_short: ({ row, column, digits }) =>
      `La fila ${row} tiene en "${column}" un número más corto que los demás, que tienen ${digits} dígitos: indique --short-numbers zeros si la hoja quitó ceros a la izquierda, --short-numbers keep si no.`,
    years_two_digits: ({ row, column }) =>
      `La fila ${row} tiene en "${column}" un año de dos dígitos: indique --short-years recent para leer 90 como 1990 y 05 como 2005 en todas las filas, --short-years notes para guardar esas fechas en las notas.`,
    dates_month_first: ({ row, column }) =>
      `La fila ${row} tiene en "${column}" una fecha cuyo mes no existe si el día va primero: indique --dates mdy si el mes va primero, --dates dmy si esa fila está mal.`,
    locations_missing: ({ organizationId }) =>
      `La organización aún no tiene sede; cree una antes: rollbook location create --org ${organizationId} --name NOMBRE`,
    location_column_missing: ({ known }) =>
      `La organización tiene varias sedes, por eso hace falta una columna Sede, o --location NOMBRE para todas las filas. Existen: ${listed(known)}.`,
    location_flag_unknown: ({ known }) => `--location no es una sede. Existen: ${listed(known)}.`,
    workbook_damaged: () => "El libro está dañado: ábralo en la hoja de cálculo y guárdelo de nuevo.",
    workbook_too_large: () => "El libro es demasiado grande para leerlo: guarde la hoja como CSV.",
    worksheet_unknown: ({ known }) => `El libro no tiene esa hoja. Existen: ${listed(known)}.`,
    cells_merged: ({ range, count: areas }) =>
      `Hay celdas combinadas en varias filas (${range}${areas > 1 ? ` y ${areas - 1} más` : ""}), y las filas de debajo quedan sin valor: sepárelas y complételas.`,
  },
  remarks: {
    column_left_out: ({ columns }) => `Columnas que no se conocen quedaron fuera: ${quoted(columns)}.`,
    column_recognized: ({ column, as }) =>
      `La columna "${column}" se entendió como ${RECOGNIZED[as]} por lo que contiene.`,
    notes_joined: ({ columns }) => `Las notas se forman con ${quoted(columns)}.`,
    zeros_restored: ({ count: rows }) =>
      `${count(rows, "fila tenía", "filas tenían")} un código postal o documento que perdió ceros a la izquierda; se repusieron.`,
    cells_failed: ({ count: cells }) =>
      `${count(cells, "celda muestra", "celdas muestran")} un error como #N/D o ######## y ${cells === 1 ? "se tomó por vacía" : "se tomaron por vacías"}.`,
    cells_set_aside: ({ group }) => {
      const { location, message } = wordGroup(group, spanish);
      return `${capitalized(location)}: ${message}. ${group.count === 1 ? "La persona entra" : "Las personas entran"} sin ese dato; el texto de la celda queda en las notas.`;
    },
    rows_no_people: ({ count: all, rows }) =>
      `Quedaron fuera por no ser personas (sumas, nombres de columnas repetidos, filas sin datos): ${spanish.place(rows, all - rows.length, undefined)}.`,
    rows_equal: ({ count: all, rows }) =>
      `Quedaron fuera por repetir una fila anterior: ${spanish.place(rows, all - rows.length, undefined)}.`,
    names_equal: ({ count: all, rows }) =>
      `El mismo nombre que arriba, sin nada que distinga a las personas; se tomó por otra persona: ${spanish.place(rows, all - rows.length, undefined)}.`,
    names_kept: ({ count: all, rows }) =>
      `Una parte del nombre está vacía y el resto no está en el nombre guardado, que se conservó: ${spanish.place(rows, all - rows.length, undefined)}.`,
    rows_unmarked: ({ count: all, rows }) =>
      `Tomados por archivados por no tener la marca que otros tienen: ${spanish.place(rows, all - rows.length, undefined)}.`,
    rows_above_header: ({ count: rows }) =>
      `${count(rows, "fila sobre los nombres de las columnas quedó", "filas sobre los nombres de las columnas quedaron")} fuera.`,
    encoding_recognized: ({ encoding }) => `El archivo se leyó como ${encoding}.`,
    phones_several: ({ columns }) =>
      `Un cliente tiene un teléfono: el primero que esté completo de ${quoted(columns)}. Los otros quedan en las notas.`,
    address_joined: ({ columns }) => `La dirección se forma con ${quoted(columns)}.`,
    names_joined: ({ columns }) => `El nombre se forma con ${quoted(columns)}.`,
    cpf_zeros_restored: ({ count: rows }) =>
      `${count(rows, "CPF había perdido", "CPF habían perdido")} ceros a la izquierda; los dígitos verificadores confirman los repuestos.`,
    numbers_ignored: ({ count: rows }) =>
      `${count(rows, "fila tiene", "filas tienen")} números donde está guardado un texto con cero inicial o signo más; se conservaron los textos guardados.`,
    dates_read_day_first: () =>
      "Las fechas se leyeron como día/mes/año; si el mes va primero, indique --dates mdy.",
    worksheet_chosen: ({ name, others }) =>
      `Se leyó la hoja "${name}". Las otras se leen con --sheet: ${quoted(others)}.`,
    columns_hidden: ({ columns }) => `También se leyeron columnas ocultas: ${quoted(columns)}.`,
    rows_hidden: ({ count: rows }) =>
      `${count(rows, "fila oculta también se leyó", "filas ocultas también se leyeron")}.`,
    clients_known: ({ count: rows, by }) =>
      `${count(rows, `cliente ya existe, por el ${by === "id" ? "id" : "documento"}, y quedó como está`, `clientes ya existen, por el ${by === "id" ? "id" : "documento"}, y quedaron como están`)}; --update sustituye lo que la hoja dice.`,
  },
  onScreen: {
    questions: {
      not_text: () => "El archivo no es una hoja de cálculo: guárdela como .xlsx o CSV.",
      encoding_mixed: ({ line }) =>
        `La línea ${line} tiene un carácter que no es UTF-8, y otras líneas son UTF-8. Corrija esa línea en el archivo o elija la codificación de todo el archivo.`,
      encoding_unclear: ({ line }) =>
        `La línea ${line} tiene un carácter de codificación incierta. Elija aquella en la que los nombres se ven bien.`,
      encoding_wrong: ({ encoding }) => `El archivo no es ${encoding}. Elija otra codificación.`,
      delimiter_unclear: () => "Lo que separa las columnas no es seguro. Elíjalo.",
      single_column_divided: ({ row }) =>
        `La primera fila da nombre a una sola columna, pero la fila ${row} parece dividida en varias. Elija lo que separa las columnas, o que hay una sola.`,
      name_column_missing: () => "Elija la columna que tiene el nombre del cliente.",
      columns_same: ({ first, second }) =>
        `Las columnas "${first}" y "${second}" dicen lo mismo. Deje una de ellas fuera.`,
      documents_two: ({ first, second }) =>
        `Un cliente tiene un solo documento, y las columnas "${first}" y "${second}" son dos. Deje una de ellas fuera.`,
      id_column_unclear: ({ column }) =>
        `La columna "${column}" puede ser un número de su lista o un documento. Elija cuál.`,
      ignored_column_unknown: ({ column }) => `No hay columna "${column}".`,
      letters_garbled: ({ row, column }) =>
        `La fila ${row} tiene en "${column}" letras leídas con otra codificación, como JoÃ£o en vez de João. Elija qué hacer con esas letras en todo el archivo.`,
      state_or_status: ({ row, column }) =>
        `La columna "${column}"${row === undefined ? "" : ` en la fila ${row}`} dice quién está activo, y en otras filas puede ser parte de la dirección. Elija qué es.`,
      status_empty: ({ row, column }) =>
        `La fila ${row} no tiene nada en "${column}", donde otras dicen sí. Escriba sí o no en todas las filas del archivo, o deje la columna fuera.`,
      numbers_short: ({ row, column, digits }) =>
        `La fila ${row} tiene en "${column}" un número más corto que los demás, que tienen ${digits} dígitos. Las hojas de cálculo quitan ceros a la izquierda. Elija qué hacer con esos números.`,
      years_two_digits: ({ row, column }) =>
        `La fila ${row} tiene en "${column}" un año de dos dígitos. Elija cómo leer esos años en todo el archivo.`,
      dates_month_first: ({ row, column }) =>
        `La fila ${row} tiene en "${column}" una fecha cuyo mes no existe si el día va primero. Elija qué va primero en todas las fechas.`,
      organization_missing: () => "La hoja no va a ninguna organización.",
      locations_missing: () => "Aún no hay sede. Cree la primera y vuelva.",
      location_column_missing: () =>
        "Hay varias sedes, y ninguna columna dice cuál. Elija la sede de todos los clientes de esta hoja, o la columna que la dice.",
      location_flag_unknown: () => "La sede elegida ya no existe. Elija otra.",
      rows_too_many: ({ max }) =>
        `La hoja tiene más de ${number(max)} filas. Divídala, o pida que la importen por la línea de comandos, que acepta cualquier número.`,
    },
    remarks: {
      dates_read_day_first: () => "Las fechas se leen como día/mes/año.",
      worksheet_chosen: ({ name, others }) => `Se lee la hoja "${name}". Hay otras: ${quoted(others)}.`,
      clients_known: ({ count: rows, by }) =>
        `${count(rows, "cliente ya está", "clientes ya están")}, por el ${by === "id" ? "id" : "documento"}, y ${rows === 1 ? "queda como está" : "quedan como están"}.`,
    },
  },
  refused: (rows) =>
    `${count(rows, "fila tiene", "filas tienen")} errores; no se importó nada. --skip-faulty importa las demás.`,
  nothingImported: "No se importó nada.",
  place: (rows, more, column) => {
    const listed = `${rows.length + more === 1 ? "fila" : "filas"} ${rows.join(", ")}${more > 0 ? ` y ${number(more)} más` : ""}`;
    return column === undefined ? listed : `${listed}, columna "${column}"`;
  },
  knownLocations: (names) => `Las sedes son: ${listed(names)}.`,
  done: ({ created, replaced, unchanged, dryRun }) =>
    `${dryRun ? "Simulación, no se guardó nada: " : ""}${count(created, "cliente creado", "clientes creados")}, ${count(replaced, "sustituido", "sustituidos")}, ${count(unchanged, "sin cambios", "sin cambios")}.`,
  rejected: (rows, path) =>
    `${count(rows, "fila con error está", "filas con error están")} en ${path}, cada una con el motivo. Corrija e importe ese archivo.`,
  rejectedFileExists: (path) =>
    `${path} ya existe, con filas de una importación anterior: impórtelo, muévalo o indique otro con --rejected.`,
  wouldReject: (rows) => `${count(rows, "fila con error se rechazaría", "filas con error se rechazarían")}.`,
  reading: "Leyendo",
  checking: "Comprobando",
  writing: "Guardando",
  rows: "filas",
  reasonColumn: "Motivo del rechazo",
};
