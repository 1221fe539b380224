// Reads Excel workbooks for the page that creates many links, which loads it when such a file is chosen.

export { readWorkbook } from '../../../tables/xlsx/workbook.ts'
