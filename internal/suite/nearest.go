package suite

import "strings"

// Nearest returns the word of known that word was most likely meant to be, the
// first of several, or "" when none is near: more than a third of its
// characters, but at least one, would have to change. Case does not count.
func Nearest(word string, known []string) string {
	limit := max(1, len([]rune(word))/3)
	best := ""
	for _, candidate := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(candidate)); d <= limit {
			best, limit = candidate, d-1 // only a nearer one replaces it
		}
	}
	return best
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment: swaps count one,
// since they are what fingers do wrong most).
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	// rows[i%3] holds the distances from from[:i] to every prefix of to; a
	// swap looks two rows back.
	var rows [3][]int
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		row, above := rows[i%3], rows[(i-1)%3]
		row[0] = i
		for j := 1; j <= len(to); j++ {
			replace := 1
			if from[i-1] == to[j-1] {
				replace = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+replace)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				row[j] = min(row[j], rows[(i-2)%3][j-2]+1)
			}
		}
	}
	return rows[len(from)%3][len(to)]
}
