# Makes common/data/mesh_valence.txt: awk -f experiments/compare/mesh.awk > common/data/mesh_valence.txt
# A grid of 64 x 64 vertices; each of its cells is cut into two triangles along one of its diagonals, which a small
# generator picks. The number of a vertex is how many triangles meet there.
BEGIN {
    side = 64
    print "# Title:   triangles that meet at each vertex of a mesh of ours, nearly the same everywhere"
    print "# Source:  made by experiments/compare/mesh.awk of this repository"
    print "# Licence: that of this repository"
    print "# Number:  triangles at one vertex = the work of one vertex when forces are gathered from its triangles"
    print "# Derived: " side " x " side " vertices in rows; each cell cut along one diagonal, picked by"
    print "#          x := (16807 x) mod (2^31 - 1) from x = 1, odd: from the first corner to the last"
    seed = 1
    for (row = 0; row < side - 1; row++)
        for (column = 0; column < side - 1; column++) {
            seed = (16807 * seed) % 2147483647
            for (corner = 0; corner < 4; corner++) {
                on_diagonal = (corner == 0 || corner == 3) == (seed % 2 == 1)
                at[row + int(corner / 2), column + corner % 2] += on_diagonal ? 2 : 1
            }
        }
    for (row = 0; row < side; row++)
        for (column = 0; column < side; column++)
            print at[row, column]
}
